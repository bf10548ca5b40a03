-- Init script: images below restricted/ are shown to who has accepted the
-- terms. Others get 401 and the services with which a viewer asks for it.
require 'init'
local access = require 'access'

function access.sees(identifier)
	return not identifier:find('^restricted/') or access.claims() ~= nil
end

function pre_flight(prefix, identifier, cookie)
	local path = config.imgroot .. '/' .. identifier
	if access.sees(identifier) then return 'allow', path end
	local base = (server.secure and 'https://' or 'http://') .. server.host
	return {
		type = 'clickthrough',
		cookieUrl = base .. '/auth/click',
		tokenUrl = base .. '/auth/token',
		label = 'Terms of use',
		header = 'Restricted material',
		description = 'These images may be used for research only.',
		confirmLabel = 'I agree',
		failureHeader = 'Not accepted',
		failureDescription = 'Without acceptance the images cannot be shown.',
	}, path
end

-- Original files follow the same rule: pre_flight was asked before.
function file_pre_flight(path, cookie)
	return 'allow', path
end
