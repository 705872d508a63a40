import { computed } from '@preact/signals'
import { decodePart, projectPath } from './project-path.ts'
import { me } from './session.ts'

/** The project that the address names; without a name it is the one that the session was opened for. */
export const projectName = computed(() => {
  const named = projectPath().replace('/projects/', '')
  return named === '' ? (me.value?.project ?? 'Waymark') : decodePart(named)
})
