-- Answers that several scripts give: local answer = require 'answer'
local answer = {}

function answer.json(status, value)
	local ok, text = server.table_to_json(value)
	if not ok then
		server.log('answer: ' .. text, server.loglevel.LOG_ERR)
		status, text = 500, '{}'
	end
	server.sendStatus(status)
	server.sendHeader('Content-Type', 'application/json')
	server.print(text)
end

function answer.error(status, message)
	answer.json(status, { status = status, title = message })
end

-- rest returns what a request's path has below a route, decoded; nil for
-- nothing, and for a path with empty, "." or ".." elements: the same file must
-- not have two names where rules go by names.
function answer.rest(route)
	local path = server.uri:gsub('%%(%x%x)', function(hex) return string.char(tonumber(hex, 16)) end)
	if path:sub(1, #route + 1) ~= route .. '/' then return nil end
	local rest = path:sub(#route + 2)
	for element in (rest .. '/'):gmatch('([^/]*)/') do
		if element == '' or element == '.' or element == '..' then return nil end
	end
	return rest
end

return answer
