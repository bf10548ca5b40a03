-- Who may see what: the access cookie of the examples, a token that says what
-- its bearer may see. local access = require 'access'
local access = { cookie = 'iiif_access', seconds = 3600 }

-- grant sets the cookie.
function access.grant()
	local ok, token = server.generate_jwt { sub = 'image', exp = server.systime() + access.seconds }
	if ok then
		ok = server.sendCookie(access.cookie, token, { path = '/', expires = access.seconds, http_only = true })
	end
	return ok
end

-- claims returns what a valid cookie or bearer token says, nil without one.
function access.claims()
	local token = server.cookies[access.cookie]
	if not token then
		local _, auth = server.requireAuth()
		token = auth.token
	end
	if not token then return nil end
	local ok, claims = server.decode_jwt(token)
	return ok and claims or nil
end

-- sees tells whether the client may see an image. Hooks are not asked about
-- what routes show, so routes ask here; an init script with a rule replaces
-- this function.
function access.sees(identifier)
	return true
end

return access
