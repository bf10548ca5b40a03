-- Init script: everybody sees small images, the bearer of the access cookie
-- sees all of them.
require 'init'
local access = require 'access'

function pre_flight(prefix, identifier, cookie)
	local path = config.imgroot .. '/' .. identifier
	if access.claims() then return 'allow', path end
	return { type = 'restrict', size = config.thumb_size ~= '' and config.thumb_size or '!128,128' }, path
end

-- A small image is no reason to hand out the original.
function file_pre_flight(path, cookie)
	if access.claims() then return 'allow', path end
	return 'deny'
end
