const CAS = 'packages/cas/test'
const WAYMARK = 'packages/waymark/test'

/** What ordinary tests try of disks, files and paths. */
export const FILE_TESTS = [
  {
    what: 'A disk without place for files is full, and a refused beginning can be completed',
    file: `${WAYMARK}/store/disk.test.ts`,
    id: 'disk-room-bytes',
  },
  {
    what: 'A quota that is used up is a full disk',
    file: `${WAYMARK}/store/disk.test.ts`,
    id: 'disk-full-over',
  },
  {
    what: 'A file system without locks is named as one',
    file: `${WAYMARK}/store/disk.test.ts`,
    id: 'disk-named',
  },
  {
    what: 'A folder that may not be written is named as one, and nothing is begun in it',
    file: `${WAYMARK}/store/opening.test.ts`,
    id: 'opening-folder-permission',
  },
  {
    what: 'A database that may only be read is served for reading and stays as it is',
    file: `${WAYMARK}/store/opening.test.ts`,
    id: 'opening-database-only',
  },
  {
    what: 'A store that is removed while it is open is missed, not made again',
    file: `${WAYMARK}/store/opening.test.ts`,
    id: 'opening-database-removed',
  },
  {
    what: 'No path reaches what is Git’s or Waymark’s own, in any layout of a project',
    file: `${WAYMARK}/files/own-places.test.ts`,
    id: 'own-places-operation-reads',
  },
  {
    what: 'Nor does a name that is Git’s own on another system',
    file: `${WAYMARK}/files/own-places.test.ts`,
    id: 'own-places-names-git',
  },
  {
    what: 'No new operation with a path is forgotten there',
    file: `${WAYMARK}/files/own-places.test.ts`,
    id: 'own-places-every-operation',
  },
  {
    what: 'Links that change while a path is used lead nowhere',
    file: `${WAYMARK}/files/swapped.test.ts`,
    id: 'swapped-links-take',
    count: "WAYMARK_SWAPPED_READS'] ?? 1000",
  },
  {
    what: 'Nothing waits for a pipe or reads a device',
    file: `${WAYMARK}/files/not-plain.test.ts`,
    id: 'not-plain-pipes-sockets',
  },
  {
    what: 'Settings of a repository that lead to a device are not read',
    file: `${WAYMARK}/files/not-plain.test.ts`,
    id: 'not-plain-settings-repository',
  },
  {
    what: 'Contents that are not what was announced leave nothing',
    file: `${CAS}/content-store.test.ts`,
    id: 'content-store-refused',
  },
  {
    what: 'An upload that is killed is never seen',
    file: `${CAS}/processes.test.ts`,
    id: 'processes-upload-killed',
  },
  {
    what: 'The same content stored at once by many is stored once',
    file: `${CAS}/processes.test.ts`,
    id: 'processes-eight-store',
  },
  {
    what: 'A content is read to its end while it is deleted',
    file: `${CAS}/content-store.test.ts`,
    id: 'content-store-still-read',
  },
  {
    what: 'Damaged contents are never handed out',
    file: `${CAS}/content-store.test.ts`,
    id: 'content-store-never-handed',
  },
  {
    what: 'A host’s file that changes meanwhile is not overwritten',
    file: `${WAYMARK}/install/safety.test.ts`,
    id: 'safety-overwritten-changes',
  },
  {
    what: 'A repository’s link leads an installation nowhere',
    file: `${WAYMARK}/install/safety.test.ts`,
    id: 'safety-reached-through',
  },
]
