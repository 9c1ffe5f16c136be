-- contract: webhook tables are built anew, and no version of before the first release runs on them.
DROP TABLE `webhook_attempts`;