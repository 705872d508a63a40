import { later } from '../../shell/later.tsx'
import { NeedsYou } from './needs-you.tsx'
import { Figures } from './figures.tsx'
import { Stuck } from './stuck.tsx'
import { Working } from './working.tsx'

const DriftedWork = later(async () => (await import('./drifted-work.tsx')).DriftedWork)
const Since = later(async () => (await import('./since.tsx')).Since)

/** What needs a person first, then who does what, then what does not move. */
export function NowView() {
  return (
    <div class="now">
      <Figures />
      <NeedsYou />
      <div class="now-side">
        <Working />
        <Stuck />
      </div>
      <div class="now-more">
        <DriftedWork />
        <Since />
      </div>
    </div>
  )
}
