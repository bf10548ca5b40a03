-- GET /upright/NAME: the image with its EXIF orientation applied, at most
-- 1000 pixels on its longer side.
local access = require 'access'
local answer = require 'answer'

local name = answer.rest('/upright')
if not name then return answer.error(400, 'name an image') end
if not access.sees(name) then return answer.error(401, 'you may not see this image') end

local ok, img = SipiImage.new(config.imgroot .. '/' .. name)
if not ok then return answer.error(404, 'no such image') end

img:topleft()
local _, dims = img:dims()
if dims.nx > 1000 or dims.ny > 1000 then img:scale('!1000,1000') end

server.sendHeader('Content-Type', 'image/jpeg')
local sent, why = img:send('jpg')
if not sent then
	if why == 'admission_skipped' then
		server.sendHeader('Retry-After', '5')
		return answer.error(503, 'the server is busy')
	end
	return answer.error(500, 'the image cannot be read')
end
