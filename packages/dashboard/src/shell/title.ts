import { effect } from '@preact/signals'
import { needCount } from '../data/task/needs.ts'
import { projectName } from '../data/project.ts'
import { en } from '../text/en.ts'
import { route } from './router.ts'

/** The title of the tab carries the count of what needs a person. */
export function startTitle(): void {
  effect(() => {
    const count = needCount.value
    const view = en.views[route.value.view]
    document.title = `${count > 0 ? `(${count}) ` : ''}${view} · ${projectName.value}`
  })
}
