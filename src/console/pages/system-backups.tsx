// The section of the system page about backups: the latest nightly run, and the stores whose backup failed.

import { DescriptionList, formatBytes, formatNumber, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import type { BackupOverview } from "../../platform/backups/health"
import { W } from "../strings"
import { Section } from "./system-section"

const S = W.backupOverview

/** The backups of all stores. */
export const BackupSection = ({ backups }: { backups: BackupOverview }) => (
  <Section
    title={S.title}
    id="backups"
    summary={backups.run ? S.none_failed : S.no_run}
    problem={backups.failed.length > 0 && S.failing(backups.failed.length)}
  >
    {backups.run ? (
      <DescriptionList
        items={[
          [S.run_started, <Time at={backups.run.startedAt} />],
          [S.run_finished, <Time at={backups.run.finishedAt} none={S.running} />],
          [S.saved, formatNumber(backups.saved)],
          [S.in_progress, formatNumber(backups.running)],
          backups.run.unchecked > 0 ? [S.unchecked, formatNumber(backups.run.unchecked)] : null,
          [S.bytes, formatBytes(backups.bytes)],
          [S.oldest, <Time at={backups.oldestAt} none={W.common.none} />],
          [S.newest, <Time at={backups.newestAt} none={W.common.none} />],
        ]}
      />
    ) : (
      <p>{S.none}</p>
    )}
    {backups.failed.length === 0 ? (
      backups.run && <p>{S.none_failed}</p>
    ) : (
      <>
        <h3>{S.failed}</h3>
        <Table
          label={S.failed}
          rows={backups.failed}
          columns={[
            { head: S.store, cell: ({ store }) => <a href={`/console/stores/${store}`}>{store}</a> },
            { head: S.reason, isLong: true, cell: ({ error }) => error },
            { head: W.audit.when, cell: ({ at }) => <Time at={at} /> },
          ]}
        />
      </>
    )}
  </Section>
)
