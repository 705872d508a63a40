import { useEffect, useRef } from 'preact/hooks'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { AllBoards } from './all-boards.tsx'
import { OpenThings } from './open-things.tsx'
import { ProjectTable } from './project-table.tsx'
import { followProjects, loadProjects } from './projects.ts'

/** The projects that this server serves: what needs a person in each, and one board across them. */
export function ProjectsView() {
  const loaded = useLoad(loadProjects, 'projects', {
    when: (type) => type === '*',
  })
  const again = useRef(() => {})
  if (loaded.state !== 'loading') again.current = loaded.again
  useEffect(() => {
    const stop = new AbortController()
    followProjects(() => again.current(), stop.signal).catch(() => {})
    return () => stop.abort()
  }, [])
  return (
    <LoadedView of={loaded}>
      {(projects) => (
        <div class="projects">
          <ProjectTable projects={projects} />
          <OpenThings projects={projects} />
          <AllBoards projects={projects} />
        </div>
      )}
    </LoadedView>
  )
}
