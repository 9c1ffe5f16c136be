// Storefront interface strings in Vietnamese.
import type { StorefrontStrings } from "./types"

export const vi: StorefrontStrings = {
  skip: "Chuyển đến nội dung",
  menu: "Menu chính",
  footer: "Chân trang",
  pagination: "Phân trang",
  breadcrumb: "Đường dẫn trang",
  home: "Trang chủ",
  previous: "Trước",
  next: "Sau",
  pageOf: (page, last) => `Trang ${page} / ${last}`,
  by: (author) => `bởi ${author}`,
  poweredBy: "Vận hành bởi",
  opening: "Sắp khai trương. Chúng tôi đang chuẩn bị cửa hàng.",
  notFound: "Không tìm thấy trang",
  notFoundHint: "Trang có thể đã được di chuyển hoặc URL bị gõ sai.",
  backHome: "Về trang chủ",
  preparing: "Chúng tôi đang thiết lập cửa hàng này",
  preparingHint: "Cửa hàng sẽ sẵn sàng sau giây lát. Trang này tự động làm mới.",
  suspended: "Cửa hàng này tạm thời đóng cửa",
  suspendedHint: "Bạn là chủ cửa hàng? Hãy đăng nhập để mở lại.",
  unavailable: "Cửa hàng này tạm thời không truy cập được",
  unavailableHint: "Chúng tôi đang khắc phục. Vui lòng thử lại sau vài phút.",
  unknownHost: "Không có cửa hàng nào ở địa chỉ này",
  unknownHostHint: (host) => `${host} chưa được kết nối với cửa hàng nào. Hãy kiểm tra URL rồi thử lại.`,
}
