/** A promise that is tried by an ordinary test of every check, because it needs neither many processes nor chance. */
export interface OrdinaryTest {
  readonly what: string
  readonly file: string
  /** Part of the test's title. */
  readonly title: string
  /** Where the test says how much it tries, if its title does not. */
  readonly count?: string
}
