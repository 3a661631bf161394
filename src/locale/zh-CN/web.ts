export const web: Readonly<Record<string, string>> = {
  'web.search.title': '搜索网页：{query}',
  'web.fetch.title': '读取网页：{url}',
  'tool.web_search': '搜索网页',
  'tool.web_fetch': '读取网页和文档',
  'finding.exfiltration': '会话里有他人的内容，而这个网址是模型自己拼出来的，可能把数据带到外面：{url}',
}
