/** Scenes of the demo model about schedules: "every working day at nine …", and listing. */
import { block, type Scene } from './demo-stage.ts'

const HOURS = '零一二三四五六七八九十'
const WHEN =
  /(每个?工作日|每天|every (?:working ?day|weekday|day))[，,\s]*(?:(早上|上午|中午|下午|晚上)|at )?\s*([零一二两三四五六七八九十\d]{1,3}|nine)\s*(点半|点|am|pm|o'clock)?[，,\s]*(?:请)?([\s\S]+)/i

export const schedule: Scene = ({ said, text, offered }) => {
  const words = WHEN.exec(said)
  if (!words || !offered('cron_manage')) return undefined
  const [, days = '', part = '', hourWords = '', suffix = '', rest = ''] = words
  const hour = hourOf(hourWords, part, suffix)
  if (hour === undefined) return undefined
  const workdays = /工作日|working|weekday/i.test(days)
  const cron = `${suffix === '点半' ? 30 : 0} ${hour} * * ${workdays ? '1-5' : '*'}`
  const args = {
    action: 'create',
    cron,
    timezone: 'Asia/Shanghai',
    calendar: workdays ? 'workdays' : 'all',
    ...workOf(rest.trim()),
  }
  return [
    () => ({ say: text('demo.schedule'), call: { tool: 'cron_manage', args } }),
    ([result = '']) => ({ say: text('demo.schedule_done', { result }) }),
  ]
}

/** The built-in usage report when that is asked for, else the words themselves as a prompt. */
function workOf(words: string): { prompt: string } | { report: string; params: object } {
  return /用量|使用情况|usage/i.test(words)
    ? { report: 'usage', params: { period: 'this_month' } }
    : { prompt: words }
}

export const schedules: Scene = ({ said, text, offered }) => {
  const lists = /(有哪些|列出|看看|查看)[^\n]{0,12}(定时|计划)|\b(list|show)\b[^\n]{0,20}\bschedules\b/i.test(
    said,
  )
  if (!lists || !offered('cron_list')) return undefined
  return [
    () => ({ say: text('demo.schedules'), call: { tool: 'cron_list', args: {} } }),
    ([result = '']) => ({ say: text('demo.schedules_done', { result: block(result) }) }),
  ]
}

/** There are no figures behind the demo; it says so instead of making some up. */
export const sales: Scene = ({ said, text }) =>
  /销售额|yesterday.s sales/i.test(said) ? [() => ({ say: text('demo.sales') })] : undefined

function hourOf(words: string, part: string, suffix: string): number | undefined {
  const hour = /^\d+$/.test(words) ? Number(words) : chineseHour(words)
  if (hour === undefined || hour > 23) return undefined
  return hour < 12 && (/下午|晚上/.test(part) || /pm/i.test(suffix)) ? hour + 12 : hour
}

function chineseHour(words: string): number | undefined {
  if (words.toLowerCase() === 'nine') return 9
  const plain = words.replace('两', '二')
  if (plain.length === 1) return HOURS.indexOf(plain)
  return plain.startsWith('十') ? 10 + HOURS.indexOf(plain.charAt(1)) : undefined
}
