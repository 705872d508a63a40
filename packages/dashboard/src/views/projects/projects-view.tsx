import { call } from '../../data/call.ts'
import { projectName } from '../../data/project.ts'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { projectsWords } from '../../text/view/projects.ts'
import { formatNumber } from '../../text/plural.ts'

const FIGURES = ['to_verify', 'in_progress', 'ready', 'waiting', 'done'] as const

/** The projects that this server serves, with what needs a person in each. */
export function ProjectsView() {
  const loaded = useLoad((signal) => call('project.list', {}, { signal }), 'projects', {
    when: (type) => /^(?:\*$|task\.|message\.|entity\.)/.test(type),
  })
  return (
    <LoadedView of={loaded}>
      {({ projects }) => (
        <table class="table panel">
          <caption class="visually-hidden">{en.views.projects}</caption>
          <thead>
            <tr>
              <th>{projectsWords.name}</th>
              <th>{projectsWords.questions}</th>
              {FIGURES.map((name) => (
                <th key={name}>{en.columns[name]}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {projects.map((project) => (
              <tr key={project.name}>
                <td>
                  <ProjectLink name={project.name} isOnly={projects.length === 1} />
                </td>
                <td>{formatNumber(project.questions)}</td>
                {FIGURES.map((name) => (
                  <td key={name}>{formatNumber(project[name])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </LoadedView>
  )
}

interface LinkProps {
  readonly name: string
  readonly isOnly: boolean
}

/** What the page holds is of one project, so another one is opened by loading the page anew: the target says so. */
function ProjectLink({ name, isOnly }: LinkProps) {
  if (isOnly || name === projectName.value) return <a href={toAddress('')}>{name}</a>
  return (
    <a href={`/ui/projects/${encodeURIComponent(name)}/`} target="_self">
      {name}
    </a>
  )
}
