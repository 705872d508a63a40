import { projectName } from '../../data/project.ts'
import { needCount } from '../../data/needs.ts'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'

/** The projects that this server serves. */
export function ProjectsView() {
  return (
    <div class="panel">
      <p class="empty">{en.projects.one}</p>
      <ul class="rows">
        <li class="row">
          <a class="grow" href={toAddress('')}>
            {projectName.value}
          </a>
          {needCount.value > 0 && <span class="badge">{needCount.value}</span>}
        </li>
      </ul>
    </div>
  )
}
