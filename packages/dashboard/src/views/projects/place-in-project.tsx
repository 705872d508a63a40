import type { ComponentChildren } from 'preact'
import { toAddress } from '../../shell/router.ts'
import type { Project } from './projects.ts'

interface Props {
  readonly project: Project
  /** First part of the address and what follows: `t/12`. */
  readonly path: string
  readonly children: ComponentChildren
}

/** A link to something in a project, which loads the page anew where it is another one. */
export function PlaceInProject({ project: { address }, path, children }: Props) {
  return address === undefined ? (
    <a class="title-link" href={toAddress('') + path}>
      {children}
    </a>
  ) : (
    <a class="title-link" href={`${address}/${path}`} target="_self">
      {children}
    </a>
  )
}
