export const web: Readonly<Record<string, string>> = {
  'web.search.title': 'Search the web: {query}',
  'web.fetch.title': 'Read a page: {url}',
  'tool.web_search': 'Search the web',
  'tool.web_fetch': 'Read pages and documents of the web',
  'finding.exfiltration':
    "The conversation holds other people's words and the model made this address up; it may carry data out: {url}",
}
