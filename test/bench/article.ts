/** A page as news sites serve them: menus, scripts, an article in two languages, tables, code, comments. */

const SENTENCES = [
  '国庆节放假安排已经确定，请各部门在本周五之前提交值班表，并通知外地的同事。',
  'The relay keeps one row for every call, so that a restart in the middle loses nothing.',
  '新系统上线后，审批时间由平均两天缩短到四个小时，差旅报销也不再需要打印单据。',
  'Measurements were taken on two cores; the figures in the table are medians of seven rounds.',
]

/** Paragraphs, lists and tables of a long report. */
const BLOCKS = 60

/** HTML of about this many bytes: a long article, and around it what makes pages large. */
export function articlePage(bytes: number): string {
  const parts = Array.from({ length: BLOCKS }, (_, index) => block(index))
  const items = (bytes - 100_000) / 70
  const state = Array.from({ length: items }, (_, id) => ({
    id,
    title: '相关阅读',
    seen: false,
    score: id / 7,
    path: '/read',
  }))
  return `<!doctype html><html lang="zh"><head><meta charset="utf-8"><title>驿站周报</title>
<style>${'.card-12 { margin: 0 auto; padding: 4px 8px; color: #1f2329 }\n'.repeat(80)}</style>
<script>window.__STATE__ = ${JSON.stringify(state)}</script></head>
<body><nav><ul>${'<li><a href="/channel">频道</a></li>'.repeat(60)}</ul></nav>
<div class="layout"><aside class="sidebar">${'<div class="ad"><a href="/ad"><img src="/ad.png" alt="广告"></a></div>'.repeat(20)}</aside>
<main><article><h1>驿站周报</h1>${parts.join('\n')}</article>
<section class="comments">${'<div class="comment"><b>读者</b><p>写得不错，收藏了。</p></div>'.repeat(40)}</section></main></div>
<footer>${'<a href="/about">关于</a> '.repeat(20)}</footer></body></html>`
}

function block(index: number): string {
  const sentence = (step: number): string => SENTENCES[(index + step) % SENTENCES.length] ?? ''
  const text = `<p>${sentence(0)}<a href="/more/${index}">${sentence(1)}</a> <strong>${sentence(2)}</strong> ${sentence(3)}${sentence(0)}</p>`
  if (index % 12 === 3) return `<h2>第 ${index} 节</h2>${text}`
  if (index % 12 === 6) return `<ul>${`<li>${sentence(1)}</li>`.repeat(5)}</ul>${text}`
  if (index % 24 === 9) {
    return `<table><tr><th>项目</th><th>数值</th></tr>${`<tr><td>${sentence(0).slice(0, 8)}</td><td>${index}</td></tr>`.repeat(8)}</table>${text}`
  }
  if (index % 24 === 15)
    return `<pre><code>${'const answer = await fetch(url)\n'.repeat(6)}</code></pre>${text}`
  return text
}
