-- Init script: everybody sees small images, the bearer of the access cookie
-- sees all of them.
require 'init'
local access = require 'access'

function access.sees(identifier)
	return access.claims() ~= nil
end

function pre_flight(prefix, identifier, cookie)
	local path = config.imgroot .. '/' .. identifier
	if access.sees(identifier) then return 'allow', path end
	return { type = 'restrict', size = config.thumb_size }, path
end

-- A small image is no reason to hand out the original.
function file_pre_flight(path, cookie)
	if access.claims() then return 'allow', path end
	return 'deny'
end
