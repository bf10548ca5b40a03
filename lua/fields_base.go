package lua

import "sort"

// baseFields are the global values that are no functions.
var baseFields = []field{
	{"_G", "The table of all globals.", "same"},
	{"_VERSION", "\"Lua 5.3\".", "same"},
	{"package.path", "The empty string.", "same"},
	{"package.cpath", "The empty string.", "same"},
	{"package.loaded", "The modules that were required.", "same"},
	{"package.preload", "An empty table.", "same"},
}

// configFields are the fields of config.
var configFields = []field{
	{"config.hostname", "The host name of the base URL.", "same"},
	{"config.port", "The port that is listened on.", "same"},
	{"config.sslport", "The port for HTTPS, 0 for none.", "same"},
	{"config.imgroot", "The directory of the images.", "same"},
	{"config.max_temp_file_age", "0: temporary files end with their request.", "different: an option in SIPI"},
	{"config.prefix_as_path", "false: the prefix is a mount's path, and no directory below imgroot.", "different: an option in SIPI, true by default"},
	{"config.init_script", "The init script.", "same"},
	{"config.cache_dir", "The directory of the derivative cache.", "same"},
	{"config.cache_size", "The cache's limit in bytes.", "same"},
	{"config.cache_n_files", "The cache's limit in files.", "same"},
	{"config.jpeg_quality", "The quality of JPEG output.", "same"},
	{"config.thumb_size", "`IIIFD_THUMB_SIZE`: the size of thumbnails as an IIIF size.", "same"},
	{"config.max_post_size", "The largest request body in bytes.", "same"},
	{"config.tmpdir", "The directory of temporary files.", "same"},
	{"config.scriptdir", "The directory of the scripts.", "same"},
	{"config.knora_path", "The empty string.", "different: an option in SIPI"},
	{"config.knora_port", "The empty string.", "different: an option in SIPI"},
	{"config.docroot", "The document root.", "same"},
}

// fields are all values that are no functions.
func fields() []field {
	var all []field
	for _, list := range [][]field{baseFields, mathConstants, utf8Fields, serverFields, configFields} {
		all = append(all, list...)
	}
	return all
}

// keptNames are the names of keptFunctions, sorted.
func keptNames() []string {
	var names []string
	for prefix, list := range keptFunctions {
		for _, name := range list {
			if prefix != "" {
				name = prefix + "." + name
			}
			if name != "math.huge" && name != "math.pi" {
				names = append(names, name)
			}
		}
	}
	sort.Strings(names)
	return names
}
