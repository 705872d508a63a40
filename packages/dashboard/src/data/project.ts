import { computed } from '@preact/signals'
import { me } from './session.ts'

export const projectName = computed(() => me.value?.project ?? 'Waymark')
