package main

import "maps"

// recipes has one entry for each file of the manifest.
var recipes = collect(jpegRecipes, pngRecipes, tiffRecipes, jp2Recipes, otherRecipes, nameRecipes)

func collect(tables ...map[string]recipe) map[string]recipe {
	all := map[string]recipe{}
	for _, t := range tables {
		maps.Copy(all, t)
	}
	return all
}
