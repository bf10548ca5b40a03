// This folder is no part of the module iiifd: module archives may not hold
// files with names such as these, and one of them would make the whole module
// impossible to download.
module example.com/iiifd/testimages/names

go 1.26.0
