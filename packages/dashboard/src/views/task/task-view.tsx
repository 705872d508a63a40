import { route } from '../../shell/router.ts'
import { TaskPage } from './task-page.tsx'

export function TaskView() {
  return <TaskPage key={route.value.rest} number={Number(route.value.rest)} isPage />
}
