/** Line icons, 20 × 20; decorative, the control around each carries the label. */
const PATHS = {
  send: 'M3.500 10 16.500 3.500 12.500 16.500 9.800 11.200zM9.800 11.200 16.500 3.500',
  attach:
    'M15.500 9.500 9.600 15.300a3.700 3.700 0 0 1-5.200-5.200l6-6a2.500 2.500 0 0 1 3.500 3.500l-5.900 5.900a1.200 1.200 0 0 1-1.700-1.700l5.200-5.200',
  at: 'M13 10a3 3 0 1 1-6 0 3 3 0 0 1 6 0zm0-3v3.700a2 2 0 0 0 4 0V10a7 7 0 1 0-2.800 5.600',
  reply: 'M8 5 3.500 9.300 8 13.500M4 9.300h6.500c3.300 0 5.500 2 6 5.700',
  recall: 'M4 5v4h4M4.300 9A6.300 6.300 0 1 1 4.500 12.500',
  close: 'M5 5l10 10M15 5 5 15',
  back: 'M12.500 4.500 7 10l5.500 5.500',
  down: 'M5.500 8 10 12.500 14.500 8',
  right: 'M8 5.500 12.500 10 8 14.500',
  download: 'M10 3.500v8.500M6.300 8.600 10 12.300l3.700-3.700M4 16h12',
  file: 'M5.500 2.800h5.800L15 6.500v10.700H5.500zM11 3v4h4',
  inspector: 'M3.500 4h13v12h-13zM12 4v12M6 7.500h3M6 10.500h3',
  check: 'M4.500 10.500 8.500 14.300 15.500 6',
  clock: 'M10 5.500V10l3 2M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0z',
  stop: 'M6 6h8v8H6z',
  globe:
    'M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0zM3 10h14M10 3c2.500 2 3.300 4.600 3.300 7S12.500 15 10 17c-2.500-2-3.300-4.600-3.300-7S7.500 5 10 3z',
  person: 'M13 7a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM4 16.500c.6-3 3-4.500 6-4.500s5.400 1.500 6 4.500',
  bot: 'M4.500 7.500h11v8h-11zM10 4.500v3M7.700 11v1M12.300 11v1M2.500 10.500v2.500M17.500 10.500v2.500',
  copy: 'M7.500 7.500h8v8h-8zM4.500 12.500v-8h8',
  chat: 'M3.500 4.500h13v9h-7L6 16.500v-3H3.500z',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}

/** The seal of the house. */
export function Seal() {
  return (
    <svg class="seal" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M6.500 15.500 16 8l9.500 7.500M9.500 14v10.500h13V14M13 24.500v-5.500a3 3 0 0 1 6 0v5.500" />
    </svg>
  )
}
