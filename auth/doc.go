// Package auth says who may see what of an image: the request an authorizer
// is asked about, the decision it gives, and the documents that decisions
// turn into. It is pure and knows no HTTP.
//
// One decision covers every form of an image alike: pixels, info.json,
// knora.json and the original file. What a decision must not do is leave the
// choice of its enforcement to each route; Decision therefore carries the
// status, the size as which the image is shown, the watermark, and the text
// that keeps differently restricted answers apart in caches.
package auth
