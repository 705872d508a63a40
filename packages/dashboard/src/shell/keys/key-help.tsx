import { en } from '../../text/en.ts'
import { Dialog } from '../dialog/dialog.tsx'
import { activeKeys } from './keys.ts'

/** What works here: the keys of the shown view first, then those that work everywhere. */
export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog label={en.keys.title} onClose={onClose}>
      <div class="dialog-body">
        <h2>{en.keys.title}</h2>
        <dl class="key-table scrolls" tabIndex={0}>
          {activeKeys().map(({ keys, label }) => [
            <dt key={keys}>
              <kbd>{keys}</kbd>
            </dt>,
            <dd key={`${keys} does`}>{label}</dd>,
          ])}
        </dl>
        <footer>
          <button type="button" onClick={onClose}>
            {en.shell.close}
          </button>
        </footer>
      </div>
    </Dialog>
  )
}
