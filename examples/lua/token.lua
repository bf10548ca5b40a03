-- GET /auth/token: the token service of the IIIF Authentication API 1.0.
-- With messageId and origin it answers the viewer's hidden frame by
-- postMessage, else as JSON.
local access = require 'access'
local answer = require 'answer'

local get = server.get or {}
local claims = access.claims()
local reply
if claims then
	local _, token = server.generate_jwt { sub = claims.sub, exp = claims.exp }
	reply = { accessToken = token, expiresIn = claims.exp - server.systime() }
else
	reply = { error = 'missingCredentials', description = 'There is no access cookie.' }
end

if not (get.messageId and get.origin) then return answer.json(claims and 200 or 401, reply) end

-- JSON, safe within a script element.
local function script(value)
	local _, text = server.table_to_json { value }
	return (text:match('^%[%s*(.-)%s*%]$'):gsub('<', '\\u003c'))
end

reply.messageId = get.messageId
server.sendHeader('Content-Type', 'text/html; charset=utf-8')
server.print('<!doctype html><title>token</title><script>parent.postMessage(', script(reply), ', ', script(get.origin), ')</script>')
