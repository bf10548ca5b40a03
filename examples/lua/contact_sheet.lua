-- GET /contact/FOLDER: a page with the first ten images of a folder that the
-- client may see. Each is rendered once and kept in the folder contact/ of
-- that folder, where the same rules hold for it. The ten run one after another
-- on the script's own permit; what does not fit the memory budget at this
-- moment is left out.
local access = require 'access'
local answer = require 'answer'

local folder = answer.rest('/contact')
if not folder then return answer.error(400, 'name a folder') end
local ok, names = server.fs.readdir(config.imgroot .. '/' .. folder)
if not ok then return answer.error(404, 'no such folder') end

local function encode(text)
	return (text:gsub('[^%w%-._~]', function(c) return string.format('%%%02X', c:byte()) end))
end

local sheet = folder .. '/contact'
server.fs.mkdir(config.imgroot .. '/' .. sheet, 493)
local shown, skipped = {}, 0
for _, name in ipairs(names) do
	if #shown + skipped == 10 then break end
	local source = config.imgroot .. '/' .. folder .. '/' .. name
	local opened, img = false, nil
	if access.sees(folder .. '/' .. name) then opened, img = SipiImage.new(source) end
	if opened then
		local thumb = sheet .. '/' .. name .. '.jpg'
		local target = config.imgroot .. '/' .. thumb
		local _, fresh = server.fs.exists(target)
		if fresh then
			local _, made = server.fs.modtime(target)
			local _, changed = server.fs.modtime(source)
			fresh = made >= changed
		end
		if fresh or (img:scale('!200,200') and img:write(target)) then
			shown[#shown + 1] = '/iiif/3/' .. encode(thumb) .. '/full/max/0/default.jpg'
		else
			skipped = skipped + 1
		end
	end
end

if #shown == 0 then
	if skipped == 0 then return answer.error(404, 'there are no images in this folder') end
	server.sendHeader('Retry-After', '5')
	return answer.error(503, 'fanout_exhausted')
end
server.sendHeader('Content-Type', 'text/html; charset=utf-8')
server.print('<!doctype html><title>Contact sheet</title>')
for _, src in ipairs(shown) do server.print('<img src="', src, '" alt="">') end
if skipped > 0 then server.print('<p>', skipped, ' left out: the server is busy.') end
