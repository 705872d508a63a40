const CAS = 'packages/cas/test'
const WAYMARK = 'packages/waymark/test'

/** What ordinary tests try of disks, files and paths. */
export const FILE_TESTS = [
  {
    what: 'A disk without place for files is full, and a refused beginning can be completed',
    file: `${WAYMARK}/store/disk.test.ts`,
    title:
      'is one that has room for bytes and none for files, and what was begun there can be completed',
  },
  {
    what: 'A quota that is used up is a full disk',
    file: `${WAYMARK}/store/disk.test.ts`,
    title: 'is a full disk, and is over when there is room again',
  },
  {
    what: 'A file system without locks is named as one',
    file: `${WAYMARK}/store/disk.test.ts`,
    title: 'is named as one',
  },
  {
    what: 'A folder that may not be written is named as one, and nothing is begun in it',
    file: `${WAYMARK}/store/opening.test.ts`,
    title: 'a folder without permission is a clear failure',
  },
  {
    what: 'A database that may only be read is served for reading and stays as it is',
    file: `${WAYMARK}/store/opening.test.ts`,
    title: 'a database that may only be read is a clear failure, and no word of it changes',
  },
  {
    what: 'A store that is removed while it is open is missed, not made again',
    file: `${WAYMARK}/store/opening.test.ts`,
    title: 'a database that was removed is a failure, not a write into the void',
  },
  {
    what: 'No path reaches what is Git’s or Waymark’s own, in any layout of a project',
    file: `${WAYMARK}/files/own-places.test.ts`,
    title: 'no operation reads or replaces what is Git’s or Waymark’s own, by whatever path',
  },
  {
    what: 'Nor does a name that is Git’s own on another system',
    file: `${WAYMARK}/files/own-places.test.ts`,
    title: 'names that are Git’s or Waymark’s own on some system are so on all of them',
  },
  {
    what: 'No new operation with a path is forgotten there',
    file: `${WAYMARK}/files/own-places.test.ts`,
    title: 'every operation that takes a path is among those that are tried here',
  },
  {
    what: 'Links that change while a path is used lead nowhere',
    file: `${WAYMARK}/files/swapped.test.ts`,
    title:
      'while links take the place of a file and of its folder, no read and no write leaves the project',
    count: "WAYMARK_SWAPPED_READS'] ?? 1000",
  },
  {
    what: 'Nothing waits for a pipe or reads a device',
    file: `${WAYMARK}/files/not-plain.test.ts`,
    title:
      'pipes, sockets, devices, folders and link loops are named as what they are, and none is waited for',
  },
  {
    what: 'Settings of a repository that lead to a device are not read',
    file: `${WAYMARK}/files/not-plain.test.ts`,
    title:
      'settings that a repository has linked to a device are refused, and not read without an end',
  },
  {
    what: 'Contents that are not what was announced leave nothing',
    file: `${CAS}/content-store.test.ts`,
    title: 'leaves nothing behind',
  },
  {
    what: 'An upload that is killed is never seen',
    file: `${CAS}/processes.test.ts`,
    title: 'an upload that is killed is never seen',
  },
  {
    what: 'The same content stored at once by many is stored once',
    file: `${CAS}/processes.test.ts`,
    title: 'eight processes store the same and different contents at once',
  },
  {
    what: 'A content is read to its end while it is deleted',
    file: `${CAS}/content-store.test.ts`,
    title: 'can still be read to its end while it is deleted',
  },
  {
    what: 'Damaged contents are never handed out',
    file: `${CAS}/content-store.test.ts`,
    title: 'is never handed out',
  },
  {
    what: 'A host’s file that changes meanwhile is not overwritten',
    file: `${WAYMARK}/install/safety.test.ts`,
    title: 'is not overwritten when it changes while we are at it',
  },
  {
    what: 'A repository’s link leads an installation nowhere',
    file: `${WAYMARK}/install/safety.test.ts`,
    title: 'is not reached through a link that a repository has brought along',
  },
]
