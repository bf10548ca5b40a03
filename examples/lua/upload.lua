-- POST /upload with a multipart form: each file becomes a pyramidal TIFF
-- below the image root and can be asked for at once. The request carries a
-- bearer token that says sub = 'upload'; README.md tells how to make one.
local answer = require 'answer'

local auth = select(2, server.requireAuth())
local valid, claims = false, nil
if auth.status == 'BEARER' then valid, claims = server.decode_jwt(auth.token) end
if not valid or claims.sub ~= 'upload' then return answer.error(401, 'a bearer token is required') end
if not server.uploads then return answer.error(400, 'send a multipart form with files') end

local stored = {}
for index, file in ipairs(server.uploads) do
	local ok, consistent = server.file_mimeconsistency(index)
	if not ok or not consistent then
		return answer.error(415, 'content, extension and media type of ' .. file.origname .. ' disagree')
	end
	local opened, img = SipiImage.new(index)
	if not opened then return answer.error(415, file.origname .. ' is not an image') end

	local _, id = server.uuid62()
	local written, why = img:write(config.imgroot .. '/' .. id .. '.tif', { pyramid = 'yes' })
	if not written then
		if why == 'admission_skipped' then
			server.sendHeader('Retry-After', '5')
			return answer.error(503, 'the server is busy')
		end
		return answer.error(500, file.origname .. ' cannot be converted')
	end
	local _, dims = img:dims()
	stored[index] = { id = id .. '.tif', name = file.origname, width = dims.nx, height = dims.ny }
end
answer.json(201, stored)
