export const net: Readonly<Record<string, string>> = {
  'error.net.bad_url': 'That is not a full address; write it like https://example.com/page.',
  'error.net.blocked_scheme': 'Only http and https addresses can be fetched, not {scheme}: ones.',
  'error.net.blocked_port':
    'Port {port} of {host} is not allowed; an admin can allow {host}:{port} in the configuration.',
  'error.net.blocked_address':
    '{host} is not a public address, so it was not fetched; an admin can allow it in the configuration.',
  'error.net.userinfo': 'The address holds a user name or password; take it out and try again.',
  'error.net.redirects': 'The site redirected more than {count} times. Give the final address.',
  'error.net.too_large': 'The answer is larger than {megabytes} MB and was not read.',
  'error.net.timeout': 'No complete answer within {seconds} seconds; try again later.',
  'error.net.unreachable': 'No usable answer from this address ({reason}).',
}
