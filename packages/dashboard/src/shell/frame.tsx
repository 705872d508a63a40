import { connection } from '../data/live/live.ts'
import { preferences } from '../data/preferences.ts'
import { en } from '../text/en.ts'
import { AskDialog } from './dialog/ask-dialog.tsx'
import { BottomBar } from './bars/bottom-bar.tsx'
import { GlobalKeys } from './keys/global-keys.tsx'
import { Navigation } from './bars/navigation.tsx'
import { Notices } from './notices.tsx'
import { later } from './later.tsx'
import { Rail } from './bars/rail.tsx'
import { TopBar } from './bars/top-bar.tsx'
import { ViewPlace } from './view-place.tsx'

const Palette = later(async () => (await import('./palette/palette.tsx')).Palette)

/** Navigation on the left, the view in the middle, what happens on the right. */
export function Frame() {
  const { rail, navigation } = preferences.value
  return (
    <div class={`frame${rail ? '' : ' no-rail'}${navigation ? '' : ' no-nav'}`}>
      <a class="skip-link" href="#view">
        {en.shell.skip}
      </a>
      <Navigation />
      <TopBar />
      <ViewPlace banner={connection.value === 'offline' ? en.shell.offline : undefined} />
      <Rail />
      <BottomBar />
      <GlobalKeys />
      <Palette />
      <AskDialog />
      <Notices />
    </div>
  )
}
