import { effect } from '@preact/signals'
import { preferences } from '../data/preferences.ts'
import { questions } from '../data/task/questions.ts'
import { projectName } from '../data/project.ts'

/** A notification of the system for each new question, if the person wants them and the page is in the background. */
export function startNotifications(): void {
  let known: ReadonlySet<string> | undefined
  effect(() => {
    const open = questions.value.map(({ id, number, text, from }) => ({
      key: String(id ?? `#${number}`),
      text,
      from,
    }))
    const fresh = known === undefined ? [] : open.filter(({ key }) => known?.has(key) !== true)
    known = new Set(open.map(({ key }) => key))
    if (!preferences.peek().notify || !document.hidden) return
    for (const { key, text, from } of fresh)
      new Notification(`${projectName.peek()}: ${from ?? ''}`, {
        body: text,
        tag: `waymark ${key}`,
      })
  })
}
