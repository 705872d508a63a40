import { signal } from '@preact/signals'

export interface NoticeAction {
  readonly label: string
  readonly run: () => void
}

export interface Notice {
  readonly id: number
  readonly kind: 'ok' | 'bad' | 'info'
  readonly text: string
  readonly actions: readonly NoticeAction[]
}

const SHOWN_MS = 8000

export const notices = signal<readonly Notice[]>([])

let last = 0

/** Says something in the corner. Those with a choice stay until they are closed. */
export function say(
  kind: Notice['kind'],
  text: string,
  actions: readonly NoticeAction[] = [],
): void {
  last += 1
  const id = last
  notices.value = [...notices.peek().slice(-3), { id, kind, text, actions }]
  if (actions.length === 0) setTimeout(() => dismiss(id), SHOWN_MS)
}

export function dismiss(id: number): void {
  notices.value = notices.peek().filter((notice) => notice.id !== id)
}
