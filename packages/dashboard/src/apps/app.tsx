import { type ComponentType, render } from 'preact'
import { connect, type Host, type ToolResult } from './bridge.ts'
import { words } from './words.ts'

export interface PageProps<Data> {
  readonly data: Data
  readonly host: Host
  /** Calls a tool for the person and tells the model about it; what was refused stands above the view. */
  readonly act: (act: Act) => void
}

interface Act {
  readonly tool: string
  readonly args: object
  /** What the model is told when it has worked. */
  readonly done: string
}

interface Options<Data> {
  readonly name: keyof typeof words.titles
  /** The tool whose answer is drawn. */
  readonly tool: string
  readonly Page: ComponentType<PageProps<Data>>
  /** Asking again would have an effect, such as marking news as read. */
  readonly isAskedOnce?: boolean
}

interface State<Data> {
  readonly data?: Data | undefined
  readonly problem?: string | undefined
  readonly isLoading: boolean
}

/** Draws the answer of a tool in the frame of a host. */
export function mount<Data>({ name, tool, Page, isAskedOnce = false }: Options<Data>): void {
  const root = document.querySelector('#app')
  if (root === null) return
  let state: State<Data> = { isLoading: true }
  let args: object = {}
  const host = connect(name, {
    onInput: (given) => void (args = given),
    onResult: (result) => show(toState(state, result)),
    onContext: ({ theme }) => {
      if (theme !== undefined) document.documentElement.dataset['theme'] = theme
    },
  })

  const show = (next: State<Data>): void => {
    state = next
    const { data, problem, isLoading } = state
    render(
      <main aria-busy={isLoading}>
        <h1>{words.titles[name]}</h1>
        {problem !== undefined && <p role="alert">{problem}</p>}
        {data === undefined && isLoading && <p class="muted">{words.loading}</p>}
        {data !== undefined && <Page data={data} host={host} act={act} />}
        {data !== undefined && !isAskedOnce && (
          <footer>
            <button type="button" disabled={isLoading} onClick={() => void ask()}>
              {words.refresh}
            </button>
          </footer>
        )}
      </main>,
      root,
    )
  }
  const ask = async (): Promise<void> => {
    show({ ...state, isLoading: true, problem: undefined })
    await host
      .call(tool, args)
      .then((result) => show(toState(state, result)))
      .catch(fail)
  }
  const act = ({ tool: acting, args: given, done }: Act): void => {
    const run = async (): Promise<void> => {
      show({ ...state, isLoading: true, problem: undefined })
      const result = await host.call(acting, given)
      if (result.isError === true)
        return show({ ...state, isLoading: false, problem: textOf(result) })
      await host.tell(done).catch(() => {})
      await ask()
    }
    run().catch(fail)
  }
  const fail = (error: unknown): void =>
    show({ ...state, isLoading: false, problem: words.failed(String(error)) })

  show(state)
}

/** An answer that failed leaves what was drawn before. */
function toState<Data>({ data }: State<Data>, result: ToolResult): State<Data> {
  if (result.isError === true || result.structuredContent === undefined) {
    return { data, problem: textOf(result), isLoading: false }
  }
  return { data: result.structuredContent as Data, isLoading: false }
}

function textOf({ content = [] }: ToolResult): string {
  return content.find(({ type }) => type === 'text')?.text ?? words.nothing
}
