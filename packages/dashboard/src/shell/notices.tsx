import { dismiss, notices } from '../data/notices.ts'
import { en } from '../text/en.ts'

export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, kind, text, actions }) => (
        <div key={id} class={`notice ${kind}`}>
          <span class="grow">{text}</span>
          {actions.map(({ label, run }) => (
            <button
              key={label}
              type="button"
              onClick={() => {
                dismiss(id)
                run()
              }}
            >
              {label}
            </button>
          ))}
          <button
            type="button"
            class="plain"
            aria-label={en.shell.close}
            onClick={() => dismiss(id)}
          >
            ✕
          </button>
        </div>
      ))}
    </div>
  )
}
