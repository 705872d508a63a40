import { effect, signal } from '@preact/signals'

/** How this browser shows the page. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark'
  /** Whether single letters are keys. */
  readonly letterKeys: boolean
  readonly notify: boolean
  readonly rail: boolean
  readonly navigation: boolean
}

const KEY = 'waymark.preferences'
const DEFAULTS: Preferences = {
  theme: 'system',
  letterKeys: true,
  notify: false,
  rail: true,
  navigation: true,
}

export const preferences = signal<Preferences>(read())

export function setPreference<Name extends keyof Preferences>(
  name: Name,
  value: Preferences[Name],
): void {
  preferences.value = { ...preferences.peek(), [name]: value }
}

export function applyPreferences(): void {
  effect(() => {
    const { theme } = preferences.value
    if (theme === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme
    localStorage.setItem(KEY, JSON.stringify(preferences.value))
  })
}

function read(): Preferences {
  try {
    return {
      ...DEFAULTS,
      ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>),
    }
  } catch {
    return DEFAULTS
  }
}
