import { boardTasks, saveTasksAsCsv, saveTasksAsJson } from '../../export/save-tasks.ts'
import { saveView } from '../../export/save-view.ts'
import { en } from '../../text/en.ts'
import { saveWords } from '../../text/view/save.ts'
import { parseFilter } from '../../views/board/board-filter.ts'
import { route } from '../router.ts'
import type { Entry } from './entries.ts'

/** What the shown view can be kept as. */
export function saveEntries(): readonly Entry[] {
  const { view, query } = route.value
  const name = en.views[view]
  if (view !== 'board')
    return [{ id: 'save html', label: saveWords.html(name), hint: '', run: () => saveView(name) }]
  const tasks = () => boardTasks(parseFilter(query.get('q') ?? ''))
  return [
    { id: 'save html', label: saveWords.html(name), hint: '', run: () => saveView(name, tasks()) },
    { id: 'save csv', label: saveWords.csv, hint: '', run: () => saveTasksAsCsv(tasks()) },
    { id: 'save json', label: saveWords.json, hint: '', run: () => saveTasksAsJson(tasks()) },
  ]
}
