import { NeedsYou } from './needs-you.tsx'
import { Figures } from './figures.tsx'
import { Stuck } from './stuck.tsx'
import { Working } from './working.tsx'

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
    </div>
  )
}
