-- Routes of the examples, for IIIFD_INIT_SCRIPT. A route covers its path and
-- everything below it; scripts lie in IIIFD_SCRIPT_DIR.
routes = {
	{ method = 'GET', route = '/upright', script = 'orientation.lua' },
	{ method = 'POST', route = '/upload', script = 'upload.lua' },
	{ method = 'GET', route = '/auth/click', script = 'clickthrough.lua' },
	{ method = 'GET', route = '/auth/token', script = 'token.lua' },
	{ method = 'GET', route = '/manifest', script = 'manifest.lua' },
	{ method = 'GET', route = '/contact', script = 'contact_sheet.lua' },
}
