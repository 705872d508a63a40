import type { Host } from './host.ts'
import { DESKTOP_HOSTS } from './desktop-hosts.ts'
import { EDITOR_HOSTS } from './editor-hosts.ts'
import { TERMINAL_HOSTS } from './terminal-hosts.ts'

/** Every host that we know how to configure. */
export const HOSTS: readonly Host[] = [...TERMINAL_HOSTS, ...EDITOR_HOSTS, ...DESKTOP_HOSTS]
