/** Line drawings on a grid of 16. */
const PATHS = {
  now: 'M8 2v3M8 11v3M2 8h3M11 8h3M8 6.5a1.5 1.5 0 1 1 0 3a1.5 1.5 0 1 1 0-3',
  board: 'M2.5 2.5h3v11h-3zM7 2.5h3v7H7zM11.500 2.5h2v9h-2z',
  agents: 'M2 4h7M11 4h3M2 8h3M7 8h7M2 12h9',
  knowledge: 'M3 2.500h7a2 2 0 0 1 2 2v9H5a2 2 0 0 1-2-2zM5.500 5.500h4M5.500 8h4',
  graph:
    'M4 4.500l8 1M4 5l3 6M12 6.500l-4 5M3.500 3a1.500 1.500 0 1 1 0 3a1.500 1.500 0 1 1 0-3M12.500 4a1.500 1.500 0 1 1 0 3a1.500 1.500 0 1 1 0-3M7.500 10.500a1.500 1.500 0 1 1 0 3a1.500 1.500 0 1 1 0-3',
  code: 'M5.500 4L2 8l3.500 4M10.500 4L14 8l-3.500 4',
  inbox: 'M2 9l2-6h8l2 6v4H2zM2 9h3.500l1 2h3l1-2H14',
  insight: 'M2 13.500h12M4 11V8M7 11V4M10 11V6.500M13 11V2.500',
  activity: 'M1.500 8H4l2-5 3.500 10 2-5h3',
  health:
    'M8 1.800l5 2v4c0 3-2 5.200-5 6.400C5 13 3 10.800 3 7.800v-4zM5.800 7.800l1.600 1.700 2.800-3.200',
  search: 'M7 2.500a4.500 4.500 0 1 1 0 9a4.500 4.500 0 1 1 0-9M10.500 10.500l3.500 3.500',
  more: 'M2.500 4h11M2.500 8h11M2.500 12h11',
  projects: 'M2 3.500h4l1.500 2H14v7.500H2z',
  copy: 'M5.5 5.5h8v8h-8zM3.500 10.500h-1v-8h8v1',
  settings:
    'M2 4.500h6M11 4.500h3M2 11.500h3M8 11.500h6M9.500 3a1.500 1.500 0 1 1 0 3a1.500 1.500 0 1 1 0-3M6.500 10a1.500 1.500 0 1 1 0 3a1.500 1.500 0 1 1 0-3',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.3"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  )
}

export function Logo() {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M8 1 15 8 8 15 1 8z" fill="currentColor" />
    </svg>
  )
}
