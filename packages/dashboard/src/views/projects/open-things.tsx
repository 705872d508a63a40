import { StateMark } from '../../parts/state-mark.tsx'
import { Who } from '../../parts/agent/who.tsx'
import { en } from '../../text/en.ts'
import { projectsWords } from '../../text/view/projects.ts'
import { PlaceInProject } from './place-in-project.tsx'
import type { Project } from './projects.ts'

/** Questions and work to verify of all projects. */
export function OpenThings({ projects }: { readonly projects: readonly Project[] }) {
  const count = projects.reduce((sum, each) => sum + each.questions + each.to_verify, 0)
  return (
    <section class="panel needs" aria-labelledby="all-needs">
      <header>
        <h2 id="all-needs">{en.now.needsYou}</h2>
        {count > 0 && <span class="badge">{count}</span>}
      </header>
      {count === 0 && <p class="empty">{projectsWords.nothing}</p>}
      <ul class="rows">
        {projects.map((project) => (
          <InProject key={project.name} project={project} />
        ))}
      </ul>
    </section>
  )
}

function InProject({ project }: { readonly project: Project }) {
  const { name, open } = project
  const left = project.to_verify - open.to_verify.length
  return (
    <>
      {open.questions.map(({ id, number, text, from }) => (
        <li key={`${name} ${id ?? number}`} class="row">
          <StateMark state="question" shapeOnly />
          <span class="grow row">
            <span class="chip">{name}</span>
            {from !== undefined && <Who name={from} />}
            <PlaceInProject project={project} path="">
              {text}
            </PlaceInProject>
          </span>
        </li>
      ))}
      {open.to_verify.map(({ number, title }) => (
        <li key={`${name} ${number}`} class="row">
          <StateMark state="to_verify" shapeOnly />
          <span class="grow row">
            <span class="chip">{name}</span>
            <PlaceInProject project={project} path={`t/${number}`}>
              <span class="number">#{number}</span> {title}
            </PlaceInProject>
          </span>
        </li>
      ))}
      {left > 0 && (
        <li>
          <PlaceInProject project={project} path="board?column=to_verify">
            {projectsWords.moreToVerify(left, name)}
          </PlaceInProject>
        </li>
      )}
    </>
  )
}
