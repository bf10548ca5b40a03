-- GET /auth/click: the cookie service that init_clickthrough.lua names. The
-- viewer opens it in a window after its user has accepted the terms.
local access = require 'access'
local answer = require 'answer'

if not access.grant() then return answer.error(500, 'no cookie can be made: is IIIFD_JWT_KEY set?') end
server.sendHeader('Content-Type', 'text/html; charset=utf-8')
server.print('<!doctype html><title>Thank you</title><script>window.close()</script><p>You may close this window.')
