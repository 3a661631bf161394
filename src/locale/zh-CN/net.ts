export const net: Readonly<Record<string, string>> = {
  'error.net.bad_url': '这不是一个完整的网址，请写成 https://example.com/page 的样子。',
  'error.net.blocked_scheme': '只能访问 http 和 https 网址，不能访问 {scheme}: 开头的地址。',
  'error.net.blocked_port': '不允许访问 {host} 的 {port} 端口；需要的话请管理员在配置中放行 {host}:{port}。',
  'error.net.blocked_address': '{host} 不是公网地址，已拒绝访问；需要的话请管理员在配置中放行。',
  'error.net.userinfo': '网址里带了用户名或密码，请去掉后再试。',
  'error.net.redirects': '网站连续跳转超过 {count} 次，已停止。请直接给出最终的网址。',
  'error.net.too_large': '对方返回的内容超过 {megabytes} MB，没有读取。',
  'error.net.timeout': '对方在 {seconds} 秒内没有返回完整内容，请稍后再试。',
  'error.net.unreachable': '连接不上这个网址，或者对方返回的不是网页内容（{reason}）。',
}
