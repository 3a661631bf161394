export const web: Readonly<Record<string, string>> = {
  'web.search.title': 'Search the web: {query}',
  'web.fetch.title': 'Read a page: {url}',
  'web.search.keyless':
    'No search API is configured, so the public result pages of Bing and DuckDuckGo are read, which may fail. Add one under search.sources in yizhan.yaml (searxng, bing, brave, tavily or bocha).',
  'web.search.none':
    'There is nothing to search with. Add a source under search.sources in yizhan.yaml (searxng, bing, brave, tavily or bocha), or set search.keyless to true.',
  'tool.web_search': 'Search the web',
  'tool.web_fetch': 'Read web pages and documents',
  'finding.exfiltration':
    "The conversation contains other people's content and the model made this address up; it may carry data out: {url}",
}
