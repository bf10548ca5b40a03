-- GET /manifest/FOLDER: a IIIF Presentation 3.0 manifest of the images in a
-- folder of the image root that the client may see, in the order of their
-- names.
local access = require 'access'
local answer = require 'answer'

local folder = answer.rest('/manifest')
if not folder then return answer.error(400, 'name a folder') end
local ok, names = server.fs.readdir(config.imgroot .. '/' .. folder)
if not ok then return answer.error(404, 'no such folder') end

local scheme = server.secure and 'https' or 'http'
local base = scheme .. '://' .. server.host
local id = base .. server.uri

local function encode(text)
	return (text:gsub('[^%w%-._~]', function(c) return string.format('%%%02X', c:byte()) end))
end

local canvases = {}
for _, name in ipairs(names) do
	local identifier = folder .. '/' .. name
	local known, dims = false, nil
	if access.sees(identifier) then known, dims = SipiImage.dims(config.imgroot .. '/' .. identifier) end
	if known then
		local image = base .. '/iiif/3/' .. encode(identifier)
		local canvas = id .. '/canvas/' .. #canvases + 1
		canvases[#canvases + 1] = {
			id = canvas, type = 'Canvas', width = dims.nx, height = dims.ny, label = { none = { name } },
			items = { {
				id = canvas .. '/page', type = 'AnnotationPage',
				items = { {
					id = canvas .. '/image', type = 'Annotation', motivation = 'painting', target = canvas,
					body = {
						id = image .. '/full/max/0/default.jpg', type = 'Image', format = 'image/jpeg',
						width = dims.nx, height = dims.ny,
						service = { { id = image, type = 'ImageService3', profile = 'level2' } },
					},
				} },
			} },
		}
	end
end
if #canvases == 0 then return answer.error(404, 'there are no images in this folder') end

answer.json(200, {
	['@context'] = 'http://iiif.io/api/presentation/3/context.json',
	id = id, type = 'Manifest', label = { none = { folder } }, items = canvases,
})
