import { say } from '../data/notices.ts'
import { en } from '../text/en.ts'
import { Icon } from './icon.tsx'

/** The command that does the same, with a button that copies it. */
export function Command({ text }: { readonly text: string }) {
  return (
    <div class="command">
      <span>$ {text}</span>
      <button
        type="button"
        class="plain"
        onClick={() => void copy(text)}
        aria-label={en.acts.copyCommand}
      >
        <Icon name="copy" />
      </button>
    </div>
  )
}

export async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
  say('info', en.acts.copied)
}
