import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface Props {
  readonly label: string
  readonly class?: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A modal dialog: the browser keeps the focus inside and gives it back afterwards. */
export function Dialog({ label, class: name, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  return (
    <dialog
      ref={dialog}
      class={name ?? ''}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      {children}
    </dialog>
  )
}
