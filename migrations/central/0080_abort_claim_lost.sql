CREATE VIEW `abort_claim_lost` AS SELECT '' AS `reason`;
--> statement-breakpoint
-- A commit under an idempotency key that another request has claimed meanwhile aborts its batch by inserting here.
CREATE TRIGGER `abort_claim_lost_insert` INSTEAD OF INSERT ON `abort_claim_lost` BEGIN
  SELECT RAISE(ABORT, 'CLAIM_LOST');
END;
