import { projectName } from '../../data/project.ts'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { formatNumber } from '../../text/plural.ts'
import { projectsWords } from '../../text/view/projects.ts'
import type { Project } from './projects.ts'

const FIGURES = ['to_verify', 'in_progress', 'ready', 'waiting', 'done'] as const

/** One row for each project, with what needs a person there. */
export function ProjectTable({ projects }: { readonly projects: readonly Project[] }) {
  return (
    <div class="table-box panel">
      <table class="table">
        <caption class="visually-hidden">{en.views.projects}</caption>
        <thead>
          <tr>
            <th>{projectsWords.name}</th>
            <th class="figure-cell">{projectsWords.questions}</th>
            {FIGURES.map((name) => (
              <th key={name} class="figure-cell">
                {en.columns[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {projects.map((project) => (
            <tr key={project.name}>
              <td>
                <ProjectLink project={project} />
                {project.problem !== undefined && <p class="muted">{project.problem}</p>}
              </td>
              <td class="figure-cell">{formatNumber(project.questions)}</td>
              {FIGURES.map((name) => (
                <td key={name} class="figure-cell">
                  {formatNumber(project[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** What the page holds is of one project, so another one is opened by loading the page anew: the target says so. */
function ProjectLink({ project: { name, address } }: { readonly project: Project }) {
  if (address === undefined || name === projectName.value) return <a href={toAddress('')}>{name}</a>
  return (
    <a href={`${address}/`} target="_self">
      {name}
    </a>
  )
}
