export const web: Readonly<Record<string, string>> = {
  'web.search.title': '搜索网页：{query}',
  'web.fetch.title': '读取网页：{url}',
  'web.search.keyless':
    '没有配置搜索接口，先用必应和 DuckDuckGo 的公开结果页，可能不稳定。在 yizhan.yaml 的 search.sources 里加一个（searxng、bing、brave、tavily 或 bocha）会更可靠。',
  'web.search.none':
    '没有可用的搜索来源。在 yizhan.yaml 的 search.sources 里加一个（searxng、bing、brave、tavily 或 bocha），或把 search.keyless 设为 true。',
  'tool.web_search': '搜索网页',
  'tool.web_fetch': '读取网页和文档',
  'finding.exfiltration': '会话里有他人的内容，而这个网址是模型自己拼出来的，可能把数据带到外面：{url}',
}
